// Fields, buttons and notices of the forms before the login, without the larger components of the other pages.

import './outside.css'
import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { isFinal, linesOf, requestOf, titleOf } from '../../parts/problem-words.ts'
import { common } from '../../texts/en/common.ts'
import { login } from '../../texts/en/login.ts'
import { fill } from '../../texts/texts.ts'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly label: string
  readonly value: string
  readonly onChange?: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** Button next to the text of the field. */
  readonly after?: ReactNode
}

export function Field({ label, value, onChange, hint, error, after, ...input }: FieldProps) {
  const id = useId()
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <div className="field-input" data-error={error === undefined ? undefined : true}>
        <input
          id={id}
          value={value}
          aria-describedby={told === '' ? undefined : told}
          aria-invalid={error === undefined ? undefined : true}
          onChange={(event) => onChange?.(event.currentTarget.value)}
          {...input}
        />
        {after}
      </div>
      {error !== undefined && (
        <div className="field-error" id={`${id}-error`}>
          {error}
        </div>
      )}
    </div>
  )
}

const EYE = 'M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM12 9a3 3 0 1 0 0 6a3 3 0 1 0 0-6'

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'after'>) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      after={
        <button
          type="button"
          className="field-eye"
          aria-label={login.showPassword}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Sign path={shown ? `${EYE}M4 4l16 16` : EYE} />
        </button>
      }
    />
  )
}

interface SignProps {
  readonly path: string
}

/** An icon that consists of one path, 18 pixels wide. */
export const Sign = ({ path }: SignProps) => (
  <svg
    width={18}
    height={18}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.6}
    aria-hidden
  >
    <path d={path} />
  </svg>
)

interface ActionProps {
  readonly pending?: boolean
  /** True for the less important of two buttons. */
  readonly plain?: boolean
  /** Called on a click; a button without this function submits its form. */
  readonly onClick?: () => void
  readonly children: ReactNode
}

export const Action = ({ pending = false, plain = false, onClick, children }: ActionProps) => (
  <button
    type={onClick === undefined ? 'submit' : 'button'}
    className="form-button"
    data-plain={plain || undefined}
    // A disabled button would lose the focus to the page.
    aria-disabled={pending}
    aria-busy={pending}
    onClick={(event) => {
      if (pending) event.preventDefault()
      else onClick?.()
    }}
  >
    {children}
  </button>
)

interface ProblemProps {
  readonly error: Error | null
  /** Names of fields that show their problems themselves. */
  readonly except?: readonly string[]
  readonly again?: () => void
}

export function Problem({ error, except = [], again }: ProblemProps) {
  const lines = error === null ? [] : linesOf(error, except)
  if (error === null || lines.length === 0) return null
  const request = requestOf(error)
  return (
    <div className="form-problem" role="alert">
      <strong>{titleOf(error)}</strong>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {request !== undefined && <div>{fill(common.problem.request, { id: request })}</div>}
      {again !== undefined && !isFinal(error) && (
        <Action plain onClick={again}>
          {common.tryAgain}
        </Action>
      )}
    </div>
  )
}

/** Returns the message of a problem for one field. */
export const fieldError = (error: Error | null, path: string): string | undefined =>
  error instanceof ProblemError ? error.field(path) : undefined
