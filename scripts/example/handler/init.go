package handler

// NewUserHandler returns a handler with the usual limits.
func NewUserHandler() *UserHandler {
	return &UserHandler{
		MaxNameLength: 64,
		// Notifier stays nil until somebody sets up Slack in the admin console.
	}
}
