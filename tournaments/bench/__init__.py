"""`fairdeal bench`: the whole referee beside a bare echo, over the same streams in the same run."""
