-- References of deposits, and names of operators, are compared in folded form.

-- The form in which two texts are compared: without invisible characters, with one kind of dash and of space, in NFKC
-- and without case.
--
-- core/domain/Text.ts has the same rule (`foldedText`). test/postgres/schema compares the two. Stored texts have been
-- folded by this function, so it may only be changed together with them.
create function folded_text(given text) returns text
language sql
immutable
strict
parallel safe
return normalize(
  upper(lower(
    btrim(
      regexp_replace(
        regexp_replace(
          normalize(
            -- Invisible characters: format characters and other default ignorable code points.
            regexp_replace(
              given collate "C",
              '[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5'
              '\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0'
              '\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3'
              '\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
              '',
              'g'
            ),
            nfkc
          ),
          -- Dashes, and the minus sign.
          '[\u058a\u05be\u1400\u1806\u2010-\u2015\u2212\u2e17\u2e1a\u2e3a-\u2e3b\u2e40\u2e5d\u301c'
          '\u3030\u30a0\ufe31-\ufe32\ufe58\ufe63\uff0d\U00010d6e\U00010ead]',
          '-',
          'g'
        ),
        -- White space, and other characters that print nothing.
        '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\U00013441\U00013442\U00016fe4\U0001d159]+',
        ' ',
        'g'
      )
    ) collate "pg_unicode_fast"
  )),
  nfkc
);

create table deposit_reference (
  company_id bigint not null,
  folded text not null check (folded <> ''),
  entry_id bigint not null,
  primary key (company_id, folded)
);

-- Finds other companies that have a deposit with the same reference.
create index deposit_reference_folded on deposit_reference (folded, company_id);

comment on table deposit_reference is
  'References of deposits in folded form. Each is used once, however the operator types it.';
comment on column deposit_reference.folded is 'The reference of the deposit, as folded_text returns it.';
comment on column deposit_reference.entry_id is 'The ledger entry of the deposit.';

-- Earlier versions compared references as typed. If several deposits of a company have references that are now equal,
-- the first one owns the folded reference. The others are still found by their own spelling.
insert into deposit_reference (company_id, folded, entry_id)
select e.company_id, folded_text(e.reference), e.id
from entry as e
where e.type = 'deposit'
  and e.reference is not null
  and folded_text(e.reference) <> ''
order by e.company_id, e.id
on conflict do nothing;

-- Not validated, because an earlier version may have confirmed a proposal under another spelling of the proposer's name.
alter table resolution
  drop constraint resolution_second_operator,
  add constraint resolution_second_operator
    check (folded_text(confirmed_by) <> folded_text(proposed_by)) not valid;
