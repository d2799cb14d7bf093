import * as PageSession from "../chain/PageSession.ts"
import { registry } from "../look/useAtom.ts"
/** The access to IPFS that came with a session: the page forgets it when the session ends. */
import * as SignInState from "./SignInState.ts"

let given: PageSession.ProjectAccess | undefined

registry.subscribe(SignInState.signInState, ({ _tag }) => {
  if (_tag !== "In" && given !== undefined && registry.get(PageSession.access) === given) {
    registry.set(PageSession.access, undefined)
  }
})

/** Uses the access until the session ends, which can be before it is there. */
export const give = (access: PageSession.ProjectAccess): void => {
  if (registry.get(SignInState.signInState)._tag !== "In") return
  given = access
  registry.set(PageSession.access, access)
}
