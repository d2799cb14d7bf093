/** Blocks of code or data, in lines that do not wrap. */

/** The block. It is focusable like a field, so that the keyboard can scroll it. */
export const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="code" tabIndex={0} aria-label={label}>
    {text}
  </pre>
)
