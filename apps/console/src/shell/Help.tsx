/** The list of keyboard shortcuts. */
import { Dialog } from "@base-ui/react/dialog"

const KEYS: ReadonlyArray<readonly [keys: ReadonlyArray<string>, what: string]> = [
  [["/"], "Search the chain"],
  [["↑", "↓"], "Step along the line of a proof"],
  [["←", "→"], "Move within the 16 entries of a branch, or within the bytes"],
  [["Enter"], "Open the row, or select the byte"],
  [["b"], "Break the selected byte: flip one of its bits"],
  [["m"], "Mend what was broken"],
  [["c"], "Copy the hash or value that has the focus"],
  [["Esc"], "Close"],
  [["?"], "Show this list"]
]

/** The dialog. Shortcuts are off while a field has the focus. */
const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
    <Dialog.Portal>
      <Dialog.Backdrop className="shade" />
      <Dialog.Popup className="dialog">
        <Dialog.Title>Keyboard</Dialog.Title>
        <dl className="keys">
          {KEYS.map(([keys, what]) => (
            <div key={what} style={{ display: "contents" }}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p className="row" style={{ marginTop: 24 }}>
          <Dialog.Close className="button">Close</Dialog.Close>
        </p>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)

export default Help
