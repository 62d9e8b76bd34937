-- The official image runs this when it makes its database.
CREATE EXTENSION skillrating;
