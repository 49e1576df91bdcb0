// The frame of the pages before the login.

import { type FormEvent, type ReactNode, useEffect } from 'react'
import { ConnectionNotice } from '../../shell/connection-notice.tsx'

interface OutsidePageProps {
  readonly title: string
  readonly children: ReactNode
}

export function OutsidePage({ title, children }: OutsidePageProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <div className="outside">
      <ConnectionNotice />
      <main>
        <img className="mark" src="/docs/mark.svg" width={44} height={44} alt="" />
        <h1>{title}</h1>
        <div className="outside-card">{children}</div>
      </main>
    </div>
  )
}

interface FormProps {
  readonly onSubmit: () => unknown
  readonly children: ReactNode
}

export const Form = ({ onSubmit, children }: FormProps) => (
  <form
    className="form"
    onSubmit={(event: FormEvent) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

/** Returns the value of a query parameter in the URL of the page. */
export const inAddress = (name: string): string => new URLSearchParams(location.search).get(name) ?? ''

/** Opens the dashboard, which is a separate program, with the session of the new login. */
export const goInside = (address = '/'): void => window.location.replace(address)
