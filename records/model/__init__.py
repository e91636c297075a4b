"""What a record is: schema, template, identity, quality."""
