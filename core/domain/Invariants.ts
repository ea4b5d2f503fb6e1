/** Invariants of the whole database, true at every instant. Contract: 2.3, 2.5, 3.1, 3.3. */
export const invariants = {
  owned: "what a company owns is the sum of its ledger",
  held: "what is held is the sum of the sales in PROCESSING and PENDING",
  available: "nothing available or held is below zero",
  consumption: "a day's consumption is the sum of its sales that were not given back",
  xid: "no xid names two sales of a company that are not FAILED",
  sale: "a sale in SUCCESS has one entry, of minus its amount",
  reversal: "a sale in REVERSED has the entry of the sale and one that gives it back",
  confirmed: "a sale is in REVERSED exactly if one reversal of it is confirmed",
  entry: "no entry speaks of a sale that was never charged",
  running: "each entry's balance is the one before it plus its amount",
  listed: "a list is as long as it says, and its blocks count every sale, by status, and every entry, once",
  insured: "an insurance that was claimed by a sale and that sale name each other, and one is as far as the other",
  quote: "no quote of a vehicle is sold twice",
  policy: "an insurance has a policy number if its sale is in SUCCESS, that of the sale, and otherwise none"
} as const

export type Invariant = keyof typeof invariants
