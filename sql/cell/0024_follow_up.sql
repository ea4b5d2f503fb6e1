-- Progress of the later checks of settled sales. It concerns all companies of the cell together.
create table follow_up (
  hours int primary key check (hours > 0),
  settled_at timestamptz not null,
  transaction_id bigint not null,
  leased_until timestamptz
);

comment on table follow_up is 'Progress of each later check of settled sales. The checks are in core/domain/FollowUp.ts.';
comment on column follow_up.hours is 'Name of the check: hours from the settlement until the question.';
comment on column follow_up.settled_at is
  'When the last sale was settled that the check has reached. Checks go through sales in this order.';
comment on column follow_up.transaction_id is 'That sale. Orders sales that were settled at the same instant.';
comment on column follow_up.leased_until is
  'When the lease of the process that works on the check ends. Null: no process works on it.';
