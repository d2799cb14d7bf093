/** The pins of the key's project: list, add, remove. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { useCallback, useEffect, useState } from "react"

import type * as PageSession from "../chain/PageSession.ts"
import { count } from "../look/TextFormats.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as TypedText from "../route/TypedText.ts"
import { CidLink } from "./CidLink.tsx"
import * as IpfsStore from "./IpfsStore.ts"
import { tell } from "./IpfsTrouble.tsx"

/** Maximum number of pins that are listed. */
const MAX_PINS = 500

/** The sheet. */
export const PinsPanel = ({ access }: { readonly access: PageSession.ProjectAccess | undefined }) => {
  const [pins, setPins] = useState<ReadonlyArray<IpfsApi.Pin> | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [asked, setAsked] = useState<string | undefined>(undefined)
  const run = useCallback(
    (work: (client: IpfsStore.AccessClient) => Effect.Effect<unknown, ReadFailure>): void => {
      if (access === undefined) return
      const all = Effect.gen(function* () {
        const client = yield* IpfsStore.clientOf(access)
        yield* work(client)
        const list = client.pinLs({ type: "recursive", names: true })
        return yield* Stream.runCollect(Stream.take(list, MAX_PINS + 1))
      })
      void Effect.runPromise(Effect.result(all)).then((listed) => {
        if (Result.isFailure(listed)) {
          const { text, title } = tell(listed.failure)
          setProblem(`${title}. ${text}`)
        } else {
          setProblem(undefined)
          setPins(listed.success)
        }
      })
    },
    [access]
  )
  useEffect(() => run(() => Effect.void), [run])
  if (access === undefined) return null
  return (
    <section className="sheet">
      <header>
        <h2>
          Pins <span>content that the service keeps for this key&apos;s project</span>
        </h2>
        {pins === undefined ? null : (
          <span className="small soft">
            {pins.length > MAX_PINS ? `the first ${MAX_PINS}` : count(pins.length, "pin")}
          </span>
        )}
      </header>
      {problem === undefined ? null : (
        <p className="inset problem" role="alert">
          {problem}
        </p>
      )}
      {pins === undefined ? (
        problem === undefined ? (
          <p className="inset quiet">Reading the pins …</p>
        ) : null
      ) : pins.length === 0 ? (
        <p className="inset soft">Nothing is pinned yet. What you add here is pinned.</p>
      ) : (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th>Content</th>
                <th>Name</th>
                <th>Kind</th>
                <th className="end">
                  <span className="spoken">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {pins.slice(0, MAX_PINS).map(({ cid, name = "", type }) => {
                const read = Cid.fromText(cid)
                return (
                  <tr key={cid}>
                    <td>{Result.isSuccess(read) ? <CidLink cid={read.success} /> : cid.slice(0, 80)}</td>
                    <td>{name === "" ? <span className="quiet">none</span> : name.slice(0, 100)}</td>
                    <td className="soft">{type}</td>
                    <td className="end">
                      {asked === cid ? (
                        <span className="row" style={{ justifyContent: "end" }}>
                          <span className="small soft">Remove it?</span>
                          <button
                            type="button"
                            className="button"
                            onClick={() => {
                              setAsked(undefined)
                              run((client) => client.pinRm(cid))
                            }}
                          >
                            Remove
                          </button>
                          <button type="button" className="plain" onClick={() => setAsked(undefined)}>
                            Keep
                          </button>
                        </span>
                      ) : (
                        <button type="button" className="plain" onClick={() => setAsked(cid)}>
                          Remove<span className="spoken"> the pin {cid.slice(0, 16)}</span>…
                        </button>
                      )}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      <AddPin onPin={(cid, name) => run((client) => client.pinAdd(cid, name === "" ? {} : { name }))} />
    </section>
  )
}

const AddPin = ({ onPin }: { readonly onPin: (cid: Cid.Cid, name: string) => void }) => {
  const [text, setText] = useState("")
  const [name, setName] = useState("")
  const [isAsked, ask] = useState(false)
  const cid = Cid.fromText(TypedText.cidOf(text.trim()) ?? text.trim())
  return (
    <form
      className="inset ruled typed-row add-pin"
      onSubmit={(event) => {
        event.preventDefault()
        ask(Result.isFailure(cid))
        if (Result.isFailure(cid)) return
        onPin(cid.success, name.trim())
        setText("")
        setName("")
      }}
    >
      <TypedField
        id="pin"
        aria-label="CID to pin"
        placeholder="CID to pin"
        value={text}
        onText={setText}
        problem={isAsked && Result.isFailure(cid) ? cid.failure.message : undefined}
      />
      <input
        className="field"
        aria-label="Name of the pin"
        placeholder="Name, if you like"
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button">
        Pin it
      </button>
    </form>
  )
}
