-- A balance that goes back to what it was, as the shared sandbox's does every day.

-- What was adjusted, by the name under which it was asked for; also what needed no entry, because nothing had to move.
create table cell.adjustment (
  company_id bigint not null,
  reference text not null check (reference <> ''),
  created_at timestamptz not null,
  primary key (company_id, reference)
);
