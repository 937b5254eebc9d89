"""`fairdeal bot`."""
