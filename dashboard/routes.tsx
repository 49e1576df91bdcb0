// Every page on one line, each loaded when it is first opened. A page's module exports it as `Component`.

import { Navigate, type RouteObject } from 'react-router'
import { RouteProblem } from './shell/route-problem.tsx'
import { Shell } from './shell/shell.tsx'

const NotFound = () => <RouteProblem notFound />

export const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteProblem,
    HydrateFallback: () => null,
    children: [
      { path: '/login', lazy: () => import('./pages/login/login-page.tsx') },
      {
        element: <Shell />,
        children: [
          {
            ErrorBoundary: RouteProblem,
            children: [
              { index: true, lazy: () => import('./pages/home/home-page.tsx') },
              { path: '/domains', lazy: () => import('./pages/domains/domains-page.tsx') },
              { path: '/domains/:domainId', element: <Navigate to="messages" replace /> },
              {
                path: '/domains/:domainId/messages',
                lazy: () => import('./pages/messages/messages-page.tsx'),
              },
              {
                path: '/domains/:domainId/messages/:messageId',
                lazy: () => import('./pages/messages/message-page.tsx'),
              },
              { path: '/mailbox/:mailId?', lazy: () => import('./pages/mailbox/mailbox-page.tsx') },
              { path: '*', Component: NotFound },
            ],
          },
        ],
      },
    ],
  },
]
