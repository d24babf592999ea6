"""Orders: features taken one after the other, each in view of those taken."""
