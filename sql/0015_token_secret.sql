-- For a while after a rotation a token has two secrets: its own, and the one before it until an instant. Each is known by
-- its SHA-256, or by a keyed hash of that; then the name of the key stands beside it.
alter table directory.token
add column secret_pepper text check (secret_pepper <> ''),
add column previous_hash bytea check (length(previous_hash) = 32),
add column previous_pepper text check (previous_pepper <> ''),
add column previous_until timestamptz,
add check ((previous_hash is null) = (previous_until is null)),
add check (previous_pepper is null or previous_hash is not null);

-- When a token was last used. Apart from the tokens: a change of those makes every replica forget what it has cached.
create table directory.token_use (
  token_id bigint primary key references directory.token,
  used_at timestamptz not null
)
with (fillfactor = 50);
