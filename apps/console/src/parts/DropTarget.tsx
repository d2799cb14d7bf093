/** An area that accepts files, dropped or chosen with a dialogue. */
import "./dropTarget.css"
import { type DragEvent, type ReactNode, useId, useState } from "react"

/** The target. `children` are shown below the button. */
export const DropTarget = ({
  accept,
  children,
  isSmall = false,
  onFile,
  text,
  title
}: {
  readonly title: string
  readonly text: string
  readonly accept: string
  readonly onFile: (file: File) => Promise<void>
  readonly isSmall?: boolean
  readonly children?: ReactNode
}) => {
  const [isOver, setOver] = useState(false)
  const id = useId()
  const dropped = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    for (const file of event.dataTransfer.files) void onFile(file)
  }
  return (
    <section
      className={`target${isSmall ? " small" : ""}${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <h2>{title}</h2>
      <p className="soft">{text}</p>
      <p className="row wrap">
        <label className="button primary" htmlFor={id}>
          Choose files
        </label>
        <input
          id={id}
          type="file"
          className="spoken"
          multiple
          accept={accept}
          onChange={({ target }) => {
            for (const file of target.files ?? []) void onFile(file)
            target.value = ""
          }}
        />
      </p>
      {children}
    </section>
  )
}
