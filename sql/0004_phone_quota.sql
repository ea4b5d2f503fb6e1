-- Counts the messages to each phone, over all companies.
create table directory.phone_quota (
  phone text primary key,
  queued_at timestamptz[] not null check (cardinality(queued_at) between 1 and 10)
);

-- Finds the rows of phones with messages that no longer count. These rows are deleted.
create index phone_quota_latest on directory.phone_quota ((queued_at[1]));

comment on table directory.phone_quota is
  'When the latest messages to each phone were queued, over all companies and insurances. Contract, 4.6. '
  'The row lock serializes the messages to a phone, so concurrent requests cannot exceed its limits together.';
comment on column directory.phone_quota.phone is 'Keyed hash of the phone.';
comment on column directory.phone_quota.queued_at is 'The latest messages, the latest first.';
