/** The verdicts on the answers to a packet, in the form that the caller gets. */
import type * as Message from "@plumbline/jsonrpc-core/message/Message"

import * as Annotation from "../integrity/annotation.ts"
import * as Headers from "../integrity/headers.ts"
import type { Session } from "./admission.ts"
import type { Packet } from "./packets.ts"

/** Returns the headers with the verdicts, for an HTTP answer. */
export const headersOf = (
  { network }: Session,
  { isBatch, items }: Packet,
  answers: Message.Answers
): ReadonlyArray<string> => {
  if (network.isChecked !== true) return NONE
  if (!isBatch) return Headers.ofOne(items[0]!.told)
  // Notifications have no answer.
  return Headers.ofBatch(items.filter((_, place) => answers[place] !== undefined).map(({ told }) => told))
}

/** Returns the answers. If the caller has asked for verdicts, each answer gets a member with its verdict. */
export const annotated = (
  { items }: Packet,
  answers: Message.Answers,
  { annotates }: { readonly annotates?: boolean | undefined }
): Message.Answers =>
  annotates === true
    ? answers.map((answer, place) => (answer === undefined ? undefined : Annotation.add(answer, items[place]?.told)))
    : answers

const NONE: ReadonlyArray<string> = []
