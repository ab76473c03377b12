"""What xDSL's parser and verifiers complain of, in words that say what is there and what to write."""
