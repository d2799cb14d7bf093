/**
 * Screens that load their code when they are first shown, and the boundary that shows a panel in place of a screen that
 * cannot be shown. The rest of the page stays usable.
 */
import { Component, type ComponentType, createContext, lazy, type ReactNode, useContext } from "react"

import { StatePanel } from "../look/StatePanel.tsx"
import { useReconnect } from "../look/useReconnect.ts"
import * as ConsoleBuild from "./ConsoleBuild.ts"

/** The code of a screen could not be loaded: the network failed, or a newer build replaced it. */
class NotLoaded extends Error {
  override readonly name = "NotLoaded"
}

/** The number of times that the reader asked to load again. A screen loads its code once for each number. */
const Attempt = createContext(0)

/** Makes a screen from a function that imports its code. */
export const lazyScreen = <Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>
): ComponentType<Props> => {
  const code = () =>
    load().catch(async (cause: unknown) => {
      if (await ConsoleBuild.isReplaced()) ConsoleBuild.reload()
      throw new NotLoaded("the code of a screen was not loaded", { cause })
    })
  let last: { readonly attempt: number; readonly Code: ComponentType<Props> } | undefined
  return (props: Props) => {
    const attempt = useContext(Attempt)
    // the promise of a failed import stays failed, so a new attempt needs a new component
    if (last?.attempt !== attempt) last = { attempt, Code: lazy<ComponentType<any>>(code) }
    const { Code } = last
    return <Code {...props} />
  }
}

interface Props {
  /** Identifies the screen. Another screen starts without the error of the one before. */
  readonly of: string
  readonly children: ReactNode
}

interface State {
  readonly of: string
  readonly attempt: number
  readonly error: unknown
}

/** Shows its children, or a panel with the reason if one of them throws. */
export class Boundary extends Component<Props, State> {
  override state: State = { of: this.props.of, attempt: 0, error: undefined }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    // another screen is shown: a failed import is tried again there
    if (of === state.of) return null
    return { of, attempt: state.error === undefined ? state.attempt : state.attempt + 1, error: undefined }
  }

  again = (): void => this.setState(({ attempt }) => ({ attempt: attempt + 1, error: undefined }))

  override render(): ReactNode {
    const { attempt, error } = this.state
    return (
      <Attempt value={attempt}>
        {error === undefined ? this.props.children : <Failed error={error} again={this.again} />}
      </Attempt>
    )
  }
}

const Failed = ({ again, error }: { readonly error: unknown; readonly again: () => void }) => {
  useReconnect(error instanceof NotLoaded ? again : undefined)
  const [title, text] =
    error instanceof NotLoaded
      ? [
          "This screen was not loaded",
          "The service did not send the code of this screen. The other screens still work, and the page tries again by itself."
        ]
      : ["This screen failed", `The page made a mistake: ${error instanceof Error ? error.message : String(error)}`]
  return (
    <StatePanel kind="Not shown" title={title} text={text}>
      <button type="button" className="button primary" onClick={again}>
        Load again
      </button>
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </StatePanel>
  )
}
