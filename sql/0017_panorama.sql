-- What the operator's panorama reads of the last audit.

create table directory.last_audit (
  id int primary key check (id = 1),
  ended_at timestamptz not null,
  duration_ms bigint not null check (duration_ms >= 0),
  violations jsonb not null
);

comment on table directory.last_audit is 'Result of the last audit of any process. One row at most.';
comment on column directory.last_audit.violations is
  'Number of violating rows of each violated invariant, by the name of the invariant.';
