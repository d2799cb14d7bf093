/** The page about tokens of a project's users: public keys, rules, a check of a token, and programs that sign one. */
import "../admin/admin.css"
import "./tokens.css"
import { useEffect } from "react"

import { Gate, Lead, LiveValue, useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { useWhyNot } from "../admin/rights.ts"
import * as PageSession from "../chain/PageSession.ts"
import { count, grouped } from "../look/TextFormats.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { ProgramList } from "../programs/ProgramList.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { CheckToken } from "./CheckToken.tsx"
import { EndRules, SetRules } from "./RuleDialogs.tsx"
import { programs } from "./SignJwt.ts"
import * as TokenReads from "./tokenReads.ts"

const Tokens = ({ id }: { readonly id: string }) => (
  <Gate>
    {() => (
      <LiveValue key={id} of={TokenReads.one(id)} what="the user tokens" changes="accounts">
        {(read, again) => <Page read={read} again={again} />}
      </LiveValue>
    )}
  </Gate>
)

const Page = ({
  again,
  read: { access, project, rules }
}: {
  readonly read: TokenReads.TokenRead
  readonly again: () => void
}) => {
  const url = useAtom(PageSession.service)
  const { ask, asked, close } = useDialog<"set" | "end">(again)
  const canChange = useWhyNot()("tokens.set", project.id) === undefined
  useEffect(() => setAtom(Router.project, { id: project.id, name: project.name }), [project.id, project.name])
  const open = access.places.find(({ product, refused }) => product === "rpc" && refused === null)
  return (
    <div className="page tokens">
      <p className="small way-back">
        <a href={ConsoleRoute.link({ _tag: "Project", id: project.id }).href}>{project.name}</a>
      </p>
      <Lead
        title="User tokens"
        text={
          rules === undefined
            ? "This project lets no users in by themselves: its key is all that a caller needs."
            : rules.required
              ? "Every call of JSON-RPC must carry a token that the project has signed."
              : "A call may carry a token that the project has signed. One without a token is admitted as before."
        }
      >
        <Permitted to="tokens.set" project={project.id} what="Changing these rules">
          <div className="row wrap">
            <button
              type="button"
              className={rules === undefined ? "button primary" : "button"}
              onClick={() => ask("set")}
            >
              {rules === undefined ? "Add a public key" : "Edit…"}
            </button>
            {rules === undefined ? null : (
              <button type="button" className="button" onClick={() => ask("end")}>
                End…
              </button>
            )}
          </div>
        </Permitted>
      </Lead>
      <div className="duo">
        <div>
          {rules === undefined ? (
            <section className="sheet inset first" aria-labelledby="first-title">
              <h2 id="first-title">A key of your own for each user</h2>
              <p className="soft">
                Your server signs a token for each of its users, and the users call this service themselves. A token
                ends after a time that you choose, and can allow less than the project. Make a key with the first
                program,
                {canChange
                  ? " and add its public part here."
                  : " and give its public part to an operator who may add it."}
              </p>
            </section>
          ) : (
            <CheckToken project={project} rules={rules} />
          )}
          <section className="sheet" aria-labelledby="sign-title">
            <header>
              <h2 id="sign-title">Sign a token</h2>
              <span className="small soft">on your server, never in a page or an app</span>
            </header>
            <ProgramList
              label="Program"
              programs={programs({
                url,
                audience: rules?.audience ?? project.id,
                network: open?.name
              })}
            />
          </section>
        </div>
        {rules === undefined ? null : (
          <div>
            <section className="sheet" aria-labelledby="keys-title">
              <header>
                <h2 id="keys-title">Public keys</h2>
                <span className="small soft">{count(rules.keys.length, "key")}, ten at most</span>
              </header>
              <dl className="facts">
                {rules.keys.map(({ alg, kid }) => (
                  <div key={kid}>
                    <dt>
                      <code>{kid}</code>
                    </dt>
                    <dd className="soft">{ALGORITHMS[alg]}</dd>
                  </div>
                ))}
              </dl>
            </section>
            <section className="sheet" aria-labelledby="rules-title">
              <header>
                <h2 id="rules-title">Rules</h2>
              </header>
              <dl className="facts">
                <div>
                  <dt>Calls without a token</dt>
                  <dd>{rules.required ? "refused with 401" : "admitted as before"}</dd>
                </div>
                <div>
                  <dt>Audience (aud)</dt>
                  <dd>
                    <code>{rules.audience}</code>
                  </dd>
                </div>
                <div>
                  <dt>Clocks may differ</dt>
                  <dd>{count(rules.toleranceSeconds, "second")}</dd>
                </div>
                {LIMITS.map(([name, words]) => {
                  const limit = rules.userLimits[name]
                  return limit === undefined ? null : (
                    <div key={name}>
                      <dt>{words}</dt>
                      <dd>{grouped(limit)}</dd>
                    </div>
                  )
                })}
              </dl>
              {Object.keys(rules.userLimits).length > 0 ? null : (
                <p className="inset small soft">
                  Users have no limits of their own: those of the project hold for all.
                </p>
              )}
            </section>
            <section className="sheet inset" aria-labelledby="limits-of-tokens">
              <h2 id="limits-of-tokens">What a token is not</h2>
              <p className="small soft">
                A token cannot be revoked alone. It ends with its exp, with its key, or with these rules. IPFS commands
                take the key and the secret, and no token.
              </p>
            </section>
          </div>
        )}
      </div>
      {asked === "set" ? <SetRules id={project.id} rules={rules} onClose={close} /> : null}
      {asked === "end" ? <EndRules id={project.id} isRequired={rules?.required ?? false} onClose={close} /> : null}
    </div>
  )
}

const ALGORITHMS = { EdDSA: "EdDSA, Ed25519", ES256: "ES256, P-256", RS256: "RS256, RSA" } as const

const LIMITS = [
  ["requestsPerSecond", "Requests per second of a user"],
  ["burst", "Burst of a user, in requests"],
  ["creditsPerDay", "Credits per day of a user"]
] as const

export default Tokens
