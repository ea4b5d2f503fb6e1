-- Differences between the statements of providers and the sales.

create table directory.statement_case (
  id bigint generated always as identity primary key,
  provider text not null check (provider = any ('{dtone,http,simulador}')),
  kind text not null check (kind = any ('{solo_nuestro,solo_suyo,otro_monto,otro_estado}')),
  reference text not null check (reference <> ''),
  state text not null default 'abierto' check (state = any ('{abierto,anotado,cerrado}')),
  external_id text check (external_id <> ''),
  company_id bigint,
  transaction_id bigint,
  our_status text check (our_status = any ('{PENDING,SUCCESS,FAILED,REVERSED}')),
  our_amount bigint check (our_amount > 0),
  our_at timestamptz,
  their_status text check (their_status = any ('{PENDING,SUCCESS,FAILED,REVERSED}')),
  their_amount bigint check (their_amount >= 0),
  their_at timestamptz,
  lines int not null check (lines >= 0),
  line int check (line > 0),
  file text not null,
  found_at timestamptz not null,
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  gone_at timestamptz,
  constraint statement_case_key unique (provider, kind, reference),
  constraint statement_case_sale check ((company_id is null) = (transaction_id is null)),
  constraint statement_case_ours check (
    (our_status is null) = (our_amount is null) and (our_status is null) = (our_at is null)
    and (our_status is null or transaction_id is not null)
  ),
  constraint statement_case_theirs check (
    (their_status is null) = (lines = 0) and (lines = 0) = (line is null)
    and (their_amount is null or their_status is not null)
  ),
  constraint statement_case_difference check (
    case kind
      when 'solo_nuestro' then our_status is not null and their_status is null
      when 'solo_suyo' then our_status is null and their_status is not null
      when 'otro_monto' then (our_amount <> their_amount) is true
      when 'otro_estado' then (our_status <> their_status) is true
    end
  ),
  constraint statement_case_times check (found_at <= opened_at and opened_at <= seen_at and seen_at < gone_at)
);

-- Finds the cases that a comparison has seen.
create index statement_case_seen on directory.statement_case (provider, seen_at);

-- Lists the cases that still need work.
create index statement_case_unclosed on directory.statement_case (id) where state <> 'cerrado';

comment on table directory.statement_case is
  'Differences between the statements of providers and the sales. A comparison finds them; no money moves.';
comment on column directory.statement_case.reference is
  'The xid or, if the line has none, the provider''s id. Provider, kind and reference identify a case.';
comment on column directory.statement_case.external_id is 'The provider''s id of the sale. Null: unknown.';
comment on column directory.statement_case.transaction_id is
  'The sale. Null: no sale has the reference. If a line repeats the xid of a sale, the sale of that xid.';
comment on column directory.statement_case.our_status is
  'Status of the sale at the last comparison, with PENDING for PROCESSING. Null: the line has no sale.';
comment on column directory.statement_case.their_status is
  'Status in the statement. Null: the sale is not in the statement.';
comment on column directory.statement_case.their_amount is 'Amount in the statement, in centavos. Null: none is stated.';
comment on column directory.statement_case.their_at is 'Beginning of the date in the statement. Null: none is stated.';
comment on column directory.statement_case.lines is 'Number of lines with this difference.';
comment on column directory.statement_case.line is 'First of these lines in the file.';
comment on column directory.statement_case.file is 'Name of the file that was compared last.';
comment on column directory.statement_case.opened_at is
  'When the case was opened. Later than found_at if its facts changed after it was closed.';
comment on column directory.statement_case.seen_at is 'The last comparison that had the difference.';
comment on column directory.statement_case.gone_at is
  'The first comparison of the same time span that no longer had the difference. Null: none.';

create function directory.refuse_case_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'case % cannot go from % to %', old.id, old.state, new.state
    using errcode = 'check_violation', constraint = 'statement_case_transition';
end;
$$;

-- A case goes from open to noted and closed. Only a comparison opens a closed case again.
create trigger statement_case_transition
before update on directory.statement_case
for each row
when (
  (old.provider, old.kind, old.reference, old.found_at) <> (new.provider, new.kind, new.reference, new.found_at)
  or (old.state <> new.state and new.state = 'abierto' and (old.state <> 'cerrado' or new.opened_at <= old.opened_at))
  or (old.state = 'cerrado' and new.state = 'anotado')
)
execute function directory.refuse_case_change();

create table directory.statement_case_note (
  id bigint generated always as identity primary key,
  case_id bigint not null references directory.statement_case,
  at timestamptz not null,
  operator text not null check (operator <> ''),
  state text not null check (state = any ('{anotado,cerrado}')),
  note text not null check (length(note) between 1 and 500)
);

create index statement_case_note_of on directory.statement_case_note (case_id, id);

comment on table directory.statement_case_note is
  'What operators found out about the cases. Rows are never changed or deleted.';
comment on column directory.statement_case_note.operator is 'Name of the operator''s account.';
comment on column directory.statement_case_note.state is 'State of the case after the note.';

create trigger statement_case_note_append_only
before update or delete or truncate on directory.statement_case_note
for each statement
execute function directory.refuse_change();
