-- Lets servers ask the provider again about settled sales, because its answer may change.

create table directory.follow_up (
  hours int primary key check (hours > 0),
  settled_at timestamptz not null,
  transaction_id bigint not null,
  leased_until timestamptz
);

comment on table directory.follow_up is
  'Progress of each later check of settled sales. The checks are in core/domain/FollowUp.ts.';
comment on column directory.follow_up.hours is 'Name of the check: hours from the settlement until the question.';
comment on column directory.follow_up.settled_at is
  'When the last sale was settled that the check has reached. Checks go through sales in this order.';
comment on column directory.follow_up.transaction_id is
  'That sale. Orders sales that were settled at the same instant.';
comment on column directory.follow_up.leased_until is
  'When the lease of the process that works on the check ends. Null: no process works on it.';

alter table directory.audit_event add column once text;

-- Finds an event that is to be recorded only once.
create unique index audit_event_once on directory.audit_event (once) where once is not null;

comment on column directory.audit_event.once is
  'A second event with this value is not recorded. Null: the event may repeat.';
