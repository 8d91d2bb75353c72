package handler

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// OrderState says how far an order has come.
type OrderState int

// The states of an order, in their order.
const (
	Placed OrderState = iota
	Paid
	Shipped
	Returned
)

var stateNames = [...]string{"placed", "paid", "shipped", "returned"}

// String names the state.
func (s OrderState) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return "state " + strconv.Itoa(int(s))
	}
	return stateNames[s]
}

// Line is one position of an order.
type Line struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Price    Cents  `json:"price"`
}

// Order is what a customer asked for.
type Order struct {
	ID     int        `json:"id"`
	Placed time.Time  `json:"placed"`
	State  OrderState `json:"state"`
	Lines  []Line     `json:"lines"`
}

// Total adds up the positions.
func (o Order) Total() Cents {
	var total Cents
	for _, line := range o.Lines {
		total += line.Price * Cents(line.Quantity)
	}
	return total
}

// OrderHandler takes orders and lists them.
type OrderHandler struct {
	catalog *Catalog

	mu     sync.Mutex
	orders []Order // guarded by mu
}

// NewOrderHandler returns a handler that sells out of a catalog.
func NewOrderHandler(catalog *Catalog) *OrderHandler {
	return &OrderHandler{catalog: catalog}
}

// Routes returns what answers below /orders.
func (h *OrderHandler) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", h.List)
	mux.HandleFunc("POST /orders", h.Place)
	mux.HandleFunc("GET /orders.csv", h.Export)
	return mux
}

// List writes the orders as JSON, the newest first, at most ?limit= of them.
func (h *OrderHandler) List(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.FormValue("limit"))
	if err != nil || limit <= 0 {
		limit = 50
	}
	writeJSON(w, http.StatusOK, h.newest(limit))
}

// Place takes an order, whole or not at all.
func (h *OrderHandler) Place(w http.ResponseWriter, r *http.Request) {
	var wanted []Line
	body := http.MaxBytesReader(w, r.Body, 1<<16)
	if err := json.NewDecoder(body).Decode(&wanted); err != nil {
		http.Error(w, "the order is no JSON: "+err.Error(), http.StatusBadRequest)
		return
	}
	lines, err := h.reserve(wanted)
	if err != nil {
		http.Error(w, err.Error(), orderStatus(err))
		return
	}
	writeJSON(w, http.StatusCreated, h.record(lines))
}

// reserve takes every position out of the stock; on an error nothing is taken.
func (h *OrderHandler) reserve(wanted []Line) ([]Line, error) {
	if len(wanted) == 0 {
		return nil, errors.New("the order is empty")
	}
	taken := make([]Line, 0, len(wanted))
	for _, line := range wanted {
		item, err := h.catalog.Take(line.SKU, line.Quantity)
		if err != nil {
			h.putBack(taken)
			return nil, err
		}
		taken = append(taken, Line{item.SKU, line.Quantity, item.Price})
	}
	return taken, nil
}

func (h *OrderHandler) putBack(lines []Line) {
	for _, line := range lines {
		h.catalog.Take(line.SKU, -line.Quantity)
	}
}

func (h *OrderHandler) record(lines []Line) Order {
	h.mu.Lock()
	defer h.mu.Unlock()
	order := Order{ID: len(h.orders) + 1, Placed: time.Now().UTC(), Lines: lines}
	h.orders = append(h.orders, order)
	return order
}

func (h *OrderHandler) newest(limit int) []Order {
	h.mu.Lock()
	defer h.mu.Unlock()
	newest := make([]Order, 0, min(limit, len(h.orders)))
	for i := len(h.orders) - 1; i >= 0 && len(newest) < limit; i-- {
		newest = append(newest, h.orders[i])
	}
	return newest
}

func orderStatus(err error) int {
	if _, ok := errors.AsType[ErrUnknownItem](err); ok {
		return http.StatusNotFound
	}
	if _, ok := errors.AsType[ErrOutOfStock](err); ok {
		return http.StatusConflict
	}
	return http.StatusBadRequest
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
