"""When tournaments take place: rules of recurrence in Romanian civil time, and the instants they name."""
