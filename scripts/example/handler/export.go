package handler

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var exportColumns = []string{"order", "placed", "state", "sku", "quantity", "price", "total"}

// Export writes the orders as a table, one row a position.
func (h *OrderHandler) Export(w http.ResponseWriter, r *http.Request) {
	since, err := parseSince(r.FormValue("since"))
	if err != nil {
		http.Error(w, "since has to be a day such as 2026-01-31", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="orders.csv"`)
	table := csv.NewWriter(w)
	table.Write(exportColumns)
	for _, order := range h.newest(1 << 20) {
		if order.Placed.Before(since) {
			break
		}
		for _, line := range order.Lines {
			table.Write(exportRow(order, line))
		}
	}
	table.Flush()
}

func exportRow(order Order, line Line) []string {
	return []string{
		strconv.Itoa(order.ID),
		order.Placed.Format(time.RFC3339),
		order.State.String(),
		defuse(line.SKU),
		strconv.Itoa(line.Quantity),
		line.Price.String(),
		order.Total().String(),
	}
}

// defuse keeps a spreadsheet from reading a cell as a formula.
func defuse(cell string) string {
	if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
		return "'" + cell
	}
	return cell
}

func parseSince(day string) (time.Time, error) {
	if day == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, day)
}
