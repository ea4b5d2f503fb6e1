/** Invariants of the whole database, true at every instant. Contract: 2.3, 2.5, 3.1, 3.3. */
export const invariants = {
  owned: "the balance of a company is the sum of its ledger entries",
  held: "the held amount of a company is the sum of its sales in PROCESSING and PENDING",
  available: "available and held amounts are never negative",
  consumption: "the consumption of a day is the sum of its sales that were neither released nor reversed",
  xid: "if several sales of a company have the same xid, at most one of them is not FAILED",
  sale: "a sale in SUCCESS has one ledger entry, with minus the amount of the sale",
  reversal: "a sale in REVERSED has the entry of the sale and an entry that returns the amount",
  confirmed: "a sale is in REVERSED if and only if one reversal of it is confirmed",
  entry: "every ledger entry of a sale belongs to a sale that was charged",
  funded:
    "every adjustment is a daily reset or has the confirmed proposal of two operators, and every confirmed proposal has its entry",
  running: "the balance of each entry is the balance of the entry before it plus its own amount",
  listed:
    "the stored row count of each list is correct, and the row counts of its blocks count each sale, by status, and each entry once",
  sublisted:
    "the row counts of the blocks of each service and each terminal count each sale in a block once, by status",
  insured: "an insurance claimed by a sale and that sale refer to each other, and their states agree",
  quote: "no quote is sold twice",
  policy: "an insurance has the policy number of its sale if that sale is in SUCCESS, and otherwise none",
  closed: "each closing has the figures and the digest of the ledger entries and sales of its day",
  sealed:
    "the closings of a company follow day by day, each with its own seal and the seal and balance of the day before",
  located: "the rows of a company are in its cell only",
  assigned: "the id of a sale, ledger entry, reversal, insurance, webhook or proposal was assigned once over all cells"
} as const

export type Invariant = keyof typeof invariants

/** The invariants that span several cells. Each of the other invariants holds within every cell. */
export type CellInvariant = Extract<Invariant, "located" | "assigned">
