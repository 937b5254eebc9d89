"""The process of one bot: started, limited, watched, and ended with all that it has started."""
