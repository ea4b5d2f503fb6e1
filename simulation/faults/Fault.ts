import { Struct } from "effect"
/** Every fault that may hit a step, with its meaning. */
export const faults = {
  "dies before": "the process dies instead of calling",
  "dies after": "it was done, and the process dies before it hears so",
  pause: "the answer finds the process paused for longer than a reservation stays fresh",
  "long pause": "the answer finds the process paused for longer than a lease",
  "clock ahead": "the clock of the process is put forward",
  "clock back": "the clock of the process is put back",
  rival: "at the same moment the other replica begins a recovery",
  "hang up": "the caller is gone before the answer",
  cut: "the connection dies before the commit",
  "cut after commit": "the connection dies after the commit",
  conflict: "the transaction loses a conflict and is rolled back",
  outage: "the database is gone for a while",
  timeout: "it is done, but the answer takes longer than anybody waits",
  "lost answer": "it is done at once, and the answer is lost",
  late: "the answer says nothing firm, and it is decided minutes later",
  "never arrives": "the order is lost on its way",
  "arrives late": "the order is not known for minutes, and then it is done",
  duplicate: "the order arrives twice, and the answer only says that it is known",
  "not sent": "nothing leaves the process, and it knows so",
  contradiction: "the answer is firm, and the opposite of what is true",
  breaks: "the answer cannot be understood"
} as const

export type Fault = keyof typeof faults

export const allFaults = Struct.keys(faults)
