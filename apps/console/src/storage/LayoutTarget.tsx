/** The area for the layout of a contract, and the layouts that many contracts share. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import { useEffect, useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { Hash } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import * as DropTarget from "../parts/DropTarget.tsx"
import { ProgramList } from "../programs/ProgramList.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import * as CompilerFiles from "../variables/CompilerFiles.ts"
import * as LayoutSources from "../variables/LayoutSources.ts"
import { ExampleVariables } from "./ExampleVariables.tsx"

/** The area for a layout file. */
export const LayoutTarget = ({
  place
}: {
  readonly place: ConsoleRoute.StorageRoute & { readonly address: string }
}) => {
  const { address, block, network } = place
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [found, setFound] = useState<ReadonlyArray<CompilerFiles.FoundLayout>>([])
  const [known, setKnown] = useState<ReadonlyArray<CompilerFiles.FoundLayout>>([])
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const chain = start?.networks.find(({ name }) => name === network)
  const choose = ({ contract, layout }: CompilerFiles.FoundLayout): void =>
    ChosenLayouts.choose(network, address, contract, layout)
  const take = async (file: File): Promise<void> => {
    setFound([])
    setProblem(undefined)
    if (file.size > CompilerFiles.MAX_FILE) {
      setProblem(`${file.name} has ${grouped(file.size)} bytes, more than ${grouped(CompilerFiles.MAX_FILE)}.`)
      return
    }
    const read = CompilerFiles.read(file.name, await file.text())
    if (Result.isFailure(read)) setProblem(read.failure)
    else if (read.success.length === 1) choose(read.success[0]!)
    else setFound(read.success)
  }
  useEffect(() => {
    void import("../variables/KnownLayouts.ts").then(({ all }) => setKnown(all))
  }, [])
  // the page reads embedded chains without a key, and others cannot verify their contracts
  const verifiableId = chain?.open === false && typeof chain.chainId === "number" ? chain.chainId : undefined
  return (
    <>
      <div className="lead">
        <div>
          <h1>Variables of a contract</h1>
          <p className="soft">
            of <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", network, address, block })} /> on{" "}
            {network}
          </p>
        </div>
      </div>
      {problem === undefined ? null : (
        <p role="alert" className="sheet inset problem mb-4">
          {problem}
        </p>
      )}
      {found.length === 0 ? null : (
        <section className="sheet mb-4">
          <header>
            <h2>Which contract is it?</h2>
          </header>
          <ul className="choices">
            {found.map((one) => (
              <li key={one.contract}>
                <button type="button" className="plain mono" onClick={() => choose(one)}>
                  {one.contract}
                </button>{" "}
                <span className="small quiet">{one.layout.variables.length} variables</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <DropTarget.DropTarget
        title="Drop the contract's layout here"
        text="The storage holds words without names. The compiler of the contract writes the names into a layout, which is a file. It stays on this device."
        accept=".json,.sol,.vy"
        onFile={take}
      >
        <ExampleVariables place={place} />
      </DropTarget.DropTarget>
      <section className="sheet mt-4" aria-labelledby="make-title">
        <header>
          <h2 id="make-title">
            Make a layout <span>Vault stands for the name of the contract</span>
          </h2>
        </header>
        <ProgramList label="Programs that write a layout" programs={LayoutSources.of(address, verifiableId)} />
      </section>
      <section className="sheet inset start-known">
        <div>
          <p>
            <b>No layout at hand?</b>{" "}
            <a href={ConsoleRoute.link({ _tag: "Contract", network, address, block }).href}>
              Read the functions of a token
            </a>
            , or <a href={ConsoleRoute.link({ _tag: "Account", network, address, block }).href}>a slot by its number</a>
            .
          </p>
          <label htmlFor="known" className="soft">
            Or choose a layout that many contracts share. If the contract has another layout, the words are true but
            their names are wrong.
          </label>
        </div>
        <select
          id="known"
          className="field"
          value=""
          onChange={({ target }) => {
            const one = known.find(({ contract }) => contract === target.value)
            if (one !== undefined) choose(one)
          }}
        >
          <option value="">Choose a layout</option>
          {known.map(({ contract }) => (
            <option key={contract}>{contract}</option>
          ))}
        </select>
      </section>
    </>
  )
}
