-- A key is claimed in a short row and answered in a long one, three times its length. With room left in its page the long
-- one takes the short one's place, and the index need not hear of it; without, nearly every answer went to another page.
alter table cell.idempotency set (fillfactor = 30);
