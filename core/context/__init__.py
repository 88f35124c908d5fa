"""What a request holds beside its newest message: context of other writers, and as much history as fits."""
