"""How fast Courtyard is, as ratios measured side by side (docs/performance.md)."""
