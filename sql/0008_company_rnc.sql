-- The taxpayer number of a company.
alter table directory.company
  add column rnc text check (rnc ~ '^([0-9]{9}|[0-9]{11})$');

comment on column directory.company.rnc is
  'Number of the business (RNC, 9 digits) or of the person who owns it (11 digits). Null: not recorded.';
