/** Faults of the connection: the answer has no wrong value, but is not valid or never arrives. */
import * as Lie from "../lie/Lie.ts"

export const lies: ReadonlyArray<Lie.Lie> = [
  Lie.fault("slow", "an answer takes a minute"),
  Lie.fault("cut", "the connection ends in the middle of an answer"),
  Lie.fault("wrong-id", "an answer has the id of another question"),
  Lie.fault("html", "an answer is a page of HTML, with status 200"),
  Lie.fault("huge", "an answer has 64 MB")
]
