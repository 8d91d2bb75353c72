// Package handler answers the shop's HTTP requests.
package handler

import "net/http"

// UpdateUser changes where a user's notifications go.
func (h *UserHandler) UpdateUser(w http.ResponseWriter, r *http.Request) {
	webhook, err := validateRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.Notifier.WebhookURL = webhook
	w.WriteHeader(http.StatusNoContent)
}
