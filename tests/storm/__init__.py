"""A storm over a real follow graph: readers in several processes walk feeds to the end while cooks publish, the
threshold moves, workers are killed and Redis is flushed. `bin/prove --graph FILE`."""
