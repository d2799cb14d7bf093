/** Reads a bundle by its CID over the service's IPFS. The page verifies it like a file. */
import * as Result from "effect/Result"
import { useState } from "react"

import { WithAccess } from "../access/WithAccess.tsx"
import * as PageSession from "../chain/PageSession.ts"
import { registry } from "../look/useAtom.ts"
import { TypedField } from "../parts/TypedField.tsx"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import type { GivenBundle } from "./VerifyScreen.tsx"

/** The field for a CID. Submitting it fetches the bundle. */
const FromIpfs = ({
  cid,
  onBundle
}: {
  readonly cid: string | undefined
  readonly onBundle: (given: GivenBundle) => void
}) => {
  const [text, setText] = useState(cid ?? "")
  const [isAsked, ask] = useState(false)
  return (
    <section className="sheet inset stack from-ipfs">
      <h2>Or read one from IPFS</h2>
      <form
        className="typed-row"
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = TypedText.cidOf(text.trim())
          ask(wanted === undefined)
          if (wanted !== undefined) Router.go({ _tag: "Verify", cid: wanted })
        }}
      >
        <TypedField
          id="bundle-cid"
          aria-label="CID of a bundle"
          placeholder="CID of the block, or of the bundle's list"
          value={text}
          onText={setText}
          problem={isAsked ? TypedText.cidProblem(text.trim()) : undefined}
        />
        <button type="submit" className="button">
          Take it
        </button>
      </form>
      {cid === undefined ? null : (
        <WithAccess what="to read">{(access) => <Fetch cid={cid} access={access} onBundle={onBundle} />}</WithAccess>
      )}
    </section>
  )
}

const Fetch = ({
  access,
  cid,
  onBundle
}: {
  readonly access: PageSession.ProjectAccess
  readonly cid: string
  readonly onBundle: (given: GivenBundle) => void
}) => {
  const [isReading, setReading] = useState(false)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const fetch = async (): Promise<void> => {
    setReading(true)
    setProblem(undefined)
    const { fetch } = await import("../chain/IpfsBundles.ts")
    const file = await fetch(cid, access, registry.get(PageSession.service))
    setReading(false)
    if (Result.isSuccess(file)) onBundle({ name: `${cid.slice(0, 8)}…${cid.slice(-4)}.car`, bytes: file.success })
    else setProblem(file.failure)
  }
  return (
    <>
      <p className="row wrap">
        <button type="button" className="button primary" disabled={isReading} onClick={() => void fetch()}>
          {isReading ? "Reading from IPFS" : "Read and verify it"}
        </button>
        <span className="small quiet">Each block is checked against its hash when it arrives.</span>
      </p>
      {problem === undefined ? null : (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
    </>
  )
}

export default FromIpfs
