/** The area for the layout of a contract, and the layouts that many contracts share. */
import * as Result from "effect/Result"
import { useEffect, useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"
import * as DropTarget from "../parts/DropTarget.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import * as CompilerFiles from "../variables/CompilerFiles.ts"

/** The area for a layout file. */
export const LayoutTarget = ({
  address,
  block,
  network
}: {
  readonly network: string
  readonly address: string
  readonly block: string
}) => {
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [found, setFound] = useState<ReadonlyArray<CompilerFiles.FoundLayout>>([])
  const [known, setKnown] = useState<ReadonlyArray<CompilerFiles.FoundLayout>>([])
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
  return (
    <>
      <div className="lead">
        <div>
          <h1>Contract storage</h1>
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
        text="An artifact of Foundry or Hardhat with its storageLayout, solc's JSON output, or what vyper -f layout prints. It stays on this device."
        accept=".json,.sol,.vy"
        onFile={take}
      >
        <p className="small quiet mt-4">
          Make one: <code>solc --combined-json storage-layout,ast Vault.sol &gt; layout.json</code>
        </p>
      </DropTarget.DropTarget>
      <section className="sheet inset start-known">
        <label htmlFor="known">
          <b>No layout at hand?</b>{" "}
          <span className="soft">
            Choose a layout that many contracts share. If the contract has another layout, the words are true but their
            names are wrong.
          </span>
        </label>
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
