/** The error of content that nothing proves. */
import * as Claim from "@plumbline/verdict/Claim"
import type * as Reason from "@plumbline/verdict/Reason"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"

/** Makes the error of a subject, such as a CID, that nothing proves. */
export const unproven = (subject: string, reason: Reason.Reason): UnprovenError =>
  new UnprovenError({ subject, claims: [Claim.whole(reason)] })

/** Returns the reasons of the error in one sentence. */
export const sentenceOf = ({ claims }: UnprovenError): string => claims.map(({ reason }) => reason.sentence).join("; ")
