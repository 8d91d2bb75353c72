package handler

import (
	"errors"
	"net/http"
	"net/url"
)

// validateRequest returns the webhook that the request's form asks for.
func validateRequest(r *http.Request) (string, error) {
	if err := r.ParseForm(); err != nil {
		return "", err
	}
	webhook, err := url.Parse(r.PostForm.Get("webhook"))
	if err != nil {
		return "", err
	}
	if webhook.Scheme != "https" {
		return "", errors.New("the webhook has to be an https URL")
	}
	return webhook.String(), nil
}
