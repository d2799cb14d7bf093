/** The call of a bundle: run again, decoded, and as an answer. */
import type * as Address from "@plumbline/codec/value/Address"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import type { CallRules } from "@plumbline/eth-methods/call/CallEngine"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as CallReplay from "@plumbline/proof-bundle/read/CallReplay"
import * as Claim from "@plumbline/verdict/Claim"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Result from "effect/Result"

import type * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as CallView from "../call/CallView.ts"
import * as DecodedCall from "../call/DecodedCall.ts"
import * as BundleReasons from "./BundleReasons.ts"

/** Runs the call again. The virtual machine is loaded here. `known` are the rules that the reader knows. */
export const replay = (bundle: ProofBundle.ProofBundle, known: CallRules | undefined) =>
  CallReplay.run(bundle, {
    known,
    engine: (rules) => {
      const chain = Hardforks.ofRules(rules)
      return chain === undefined ? undefined : VerifiedCalls.make({ chain })
    }
  })

/**
 * Returns the answer about a bundle's call. `made` is the verdict on the block of the bundle, if the bundle was just
 * made; otherwise the reader trusts the block.
 */
export const answer = (
  bundle: ProofBundle.ProofBundle,
  replayed: Verdict.Verdict<CallOutcome>,
  made?: Verdict.Verdict<unknown>
): Print.PrintableAnswer => {
  const call = bundle.call!
  const { request, signature } = call
  const data = request.input ?? "0x"
  const parsed = signature === undefined ? undefined : Result.getOrUndefined(AbiSignature.parse(signature))
  const args = parsed === undefined ? undefined : DecodedCall.argumentsIn(parsed, data)
  const decoded = args === undefined ? undefined : DecodedCall.outcome(parsed, replayed.value)
  const block: ReadAnswer.BlockId = { number: bundle.header.number!, hash: bundle.blockHash }
  const value = CallView.wire(replayed.value, decoded)
  const verdict = made === undefined ? replayed : Verdict.map(made, () => replayed.value, ReadAnswer.samePaths)
  const reply = ReadAnswer.accepted(verdict, () => value, block)
  const doubts =
    signature === undefined || made !== undefined
      ? []
      : args === undefined
        ? [Claim.question("signature", BundleReasons.OtherSignature({}))]
        : [
            Claim.question("signature", BundleReasons.NameOfMaker({})),
            ...(decoded === undefined ? [] : [Claim.of("decoded", BundleReasons.SignatureOfMaker({}))])
          ]
  const asked = { ...call, args, signature: args === undefined ? undefined : signature }
  return {
    reply: {
      ...reply,
      proven: made === undefined ? [blocksOf(bundle), ...reply.proven] : [...replayed.proven, ...made.proven],
      claimed: [...reply.claimed, ...doubts]
    },
    beside: { call: CallView.question(asked) },
    view: (style) =>
      CallView.view({ block, value: replayed.value }, decoded, {
        address: (request.to ?? undefined) as Address.Address | undefined,
        question: asked,
        hasTypes: args !== undefined && parsed?.hasOutputs === true,
        claimed: new Set([...reply.claimed, ...doubts].map(({ field }) => field)),
        style
      })
  }
}

const blocksOf = ({ blockHash, blocks }: ProofBundle.ProofBundle) =>
  BundleReasons.Blocks({ blocks: blocks.length, of: blockHash })
