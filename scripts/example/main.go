// Shop is a small web service with one bug, for Triage to explain.
package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/shop/handler"
)

func main() {
	address := flag.String("http", "127.0.0.1:8080", "serve on `address`")
	flag.Parse()

	users := handler.NewUserHandler()
	orders := handler.NewOrderHandler(handler.NewCatalog())

	mux := http.NewServeMux()
	mux.HandleFunc("POST /users/{id}", users.UpdateUser)
	mux.HandleFunc("GET /healthz", handler.Health)
	mux.Handle("/", handler.LogRequests(
		handler.Limit(handler.NewBucket(100, 50), orders.Routes())))
	log.Fatal(http.ListenAndServe(*address, mux))
}
