/** The access to IPFS that came with a session: the page forgets it when the session ends. */
import * as PageSession from "../chain/PageSession.ts"
import { registry } from "../look/useAtom.ts"
import * as SignInState from "./SignInState.ts"

let given: PageSession.ProjectAccess | undefined

registry.subscribe(SignInState.signInState, ({ _tag }) => {
  if (_tag === "In" || given === undefined) return
  if (registry.get(PageSession.access) === given) registry.set(PageSession.access, undefined)
  given = undefined
})

/** Uses the access until the session ends, which can be before it is there. */
export const give = (access: PageSession.ProjectAccess): void => {
  if (registry.get(SignInState.signInState)._tag !== "In") return
  given = access
  registry.set(PageSession.access, access)
}

/** Returns the access that was given last; undefined if the session gave none. */
export const last = (): PageSession.ProjectAccess | undefined => given
