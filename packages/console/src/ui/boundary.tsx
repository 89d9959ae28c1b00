import { Component, type ReactNode } from "react"
import { Failure } from "./states.tsx"

interface Props {
  readonly children: ReactNode
}
interface State {
  readonly error: Error | null
}

/**
 * A page that cannot be drawn says so: a part of it that could not be loaded, for one, because the
 * service was away or is another version by now. React takes this as a class alone.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    // Anew from the service: what could not be loaded once is not asked for again by a browser.
    return <Failure error={error} retry={() => location.reload()} />
  }
}
