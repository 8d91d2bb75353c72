package handler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Cents is an amount of money.
type Cents int64

// String prints the amount with two decimals.
func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}

// Item is something that the shop sells.
type Item struct {
	SKU   string
	Title string
	Price Cents
	Stock int
}

// ErrUnknownItem says that the catalog has no item of that name.
type ErrUnknownItem struct{ SKU string }

func (e ErrUnknownItem) Error() string { return "no item " + e.SKU }

// ErrOutOfStock says that there is less of an item than was asked for.
type ErrOutOfStock struct {
	SKU  string
	Left int
}

func (e ErrOutOfStock) Error() string {
	return fmt.Sprintf("%d of %s left", e.Left, e.SKU)
}

// Catalog holds the items; it may be used by many goroutines at once.
type Catalog struct {
	mu    sync.RWMutex
	items map[string]Item // guarded by mu
}

// NewCatalog returns a catalog with the items that every shop starts with.
func NewCatalog() *Catalog {
	catalog := &Catalog{items: make(map[string]Item)}
	for _, item := range []Item{
		{SKU: "MUG-01", Title: "Mug, blue", Price: 1290, Stock: 40},
		{SKU: "MUG-02", Title: "Mug, white", Price: 1190, Stock: 25},
		{SKU: "TEA-01", Title: "Assam, 100 g", Price: 850, Stock: 120},
		{SKU: "TEA-02", Title: "Darjeeling, 100 g", Price: 1450, Stock: 60},
		{SKU: "POT-01", Title: "Tea pot", Price: 3900, Stock: 8},
	} {
		catalog.items[item.SKU] = item
	}
	return catalog
}

// Find returns the item of that name.
func (c *Catalog) Find(sku string) (Item, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	item, ok := c.items[strings.ToUpper(sku)]
	if !ok {
		return Item{}, ErrUnknownItem{SKU: sku}
	}
	return item, nil
}

// Take lowers the stock of an item, or says how much of it is left.
func (c *Catalog) Take(sku string, quantity int) (Item, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[sku]
	if !ok {
		return Item{}, ErrUnknownItem{SKU: sku}
	}
	if item.Stock < quantity {
		return Item{}, ErrOutOfStock{SKU: sku, Left: item.Stock}
	}
	item.Stock -= quantity
	c.items[sku] = item
	return item, nil
}

// Sorted returns all items, cheapest first.
func (c *Catalog) Sorted() []Item {
	c.mu.RLock()
	defer c.mu.RUnlock()
	items := make([]Item, 0, len(c.items))
	for _, item := range c.items {
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.SKU, b.SKU))
	})
	return items
}
