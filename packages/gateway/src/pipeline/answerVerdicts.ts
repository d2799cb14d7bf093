/** The verdicts on the answers to a packet, in the form that the caller gets. */
import type * as Message from "@plumbline/jsonrpc-core/message/Message"

import * as VerdictHeaders from "../integrity/verdictHeaders.ts"
import * as VerdictMember from "../integrity/verdictMember.ts"
import type { CallPacket } from "./callPackets.ts"
import type { CallerSession } from "./requestAdmission.ts"

/** Returns the headers with the verdicts, for an HTTP answer. */
export const headersOf = (
  { network }: CallerSession,
  { isBatch, items }: CallPacket,
  answers: Message.Answers
): ReadonlyArray<string> => {
  if (network.isChecked !== true) return NONE
  if (!isBatch) return VerdictHeaders.ofOne(items[0]!.told)
  // Notifications have no answer.
  return VerdictHeaders.ofBatch(items.filter((_, place) => answers[place] !== undefined).map(({ told }) => told))
}

/** Returns the answers. If the caller has asked for verdicts, each answer gets a member with its verdict. */
export const annotated = (
  { items }: CallPacket,
  answers: Message.Answers,
  { annotates }: { readonly annotates?: boolean | undefined }
): Message.Answers =>
  annotates === true
    ? answers.map((answer, place) => (answer === undefined ? undefined : VerdictMember.add(answer, items[place]?.told)))
    : answers

const NONE: ReadonlyArray<string> = []
