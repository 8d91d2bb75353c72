package handler

// SlackNotifier posts a message to a Slack channel for each change.
// It is set up once, in the admin console.
type SlackNotifier struct {
	WebhookURL string
	Channel    string
}

// UserHandler serves the pages of a user.
type UserHandler struct {
	MaxNameLength int
	Notifier      *SlackNotifier
}
