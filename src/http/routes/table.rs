//! The macro behind the table of routes. It makes an enum of the routes from the table, so that none is forgotten.
//!
//! It is expanded in the file of the table, and uses the names that are imported there.

/// Awaits the future of a handler, boxed unless it is inlined.
macro_rules! run {
    ($future:expr) => {
        Box::pin($future).await
    };
    ($future:expr, inlined) => {
        $future.await
    };
}

/// Generates code from the table: the patterns, and the methods, costs, audiences, handlers and error format of
/// each route. Errors are `ErrorFormat::Negotiated` unless the row names another format.
macro_rules! routes {
    ($($pattern:literal $name:ident $(, or $put:ident)? $(, errors as $format:ident)? {
        $($($method:ident)|+ $(if $guard:path)? => $cost:ident for $audience:ident, $handler:path $(, $inlined:ident)?;)+
    })+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Endpoint {
            $($name,)+
            Unknown,
            Outside,
        }

        pub(super) const PATTERNS: &[(Pattern, Endpoint)] = &[$((Pattern::new($pattern), Endpoint::$name)),+];

        impl Endpoint {
            /// The supported methods. A method with a condition occurs twice.
            fn methods(self) -> &'static [Method] {
                match self {
                    $(Self::$name => &[$($(Method::$method),+),+ $(, Method::$put)?],)+
                    Self::Unknown | Self::Outside => &[],
                }
            }

            /// The cost of a request; an unsupported method costs a read.
            pub(super) fn cost(self, request: &Request<'_>) -> Cost {
                match (self, request.method) {
                    $($((Self::$name, $(Method::$method)|+) $(if $guard(request))? => Cost::$cost,)+
                    $((Self::$name, Method::$put) => Cost::Save,)?)+
                    (_, _) => Cost::Read,
                }
            }

            /// Returns whether a method of the route is free.
            pub(super) fn has_free_methods(self) -> bool {
                match self {
                    $(Self::$name => [$(Cost::$cost),+].contains(&Cost::Free),)+
                    Self::Unknown | Self::Outside => false,
                }
            }

            /// Who may use the route with this method. To learn that a route or a method does not exist is to read.
            pub(super) fn audience(self, request: &Request<'_>) -> Audience {
                match (self, request.method) {
                    $($((Self::$name, $(Method::$method)|+) $(if $guard(request))? => Audience::$audience,)+
                    $((Self::$name, Method::$put) => Audience::Savers,)?)+
                    (_, _) => Audience::Readers,
                }
            }

            /// The handler's response or error. Returns `None` if the route does not support the method.
            async fn handle(
                self,
                context: &mut RequestContext<'_>,
            ) -> Option<Result<HttpResponse, HttpResponse>> {
                let request = context.request;
                Some(match (self, request.method) {
                    $($((Self::$name, $(Method::$method)|+) $(if $guard(&request))? => {
                        run!($handler(context) $(, $inlined)?).map_err(|error| error.into_response(self.error_format(), &request))
                    })+
                    $((Self::$name, Method::$put) => {
                        run!(create::create(context)).map_err(|error| error.into_response(ErrorFormat::Negotiated, &request))
                    })?)+
                    (_, _) => return None,
                })
            }

            /// The format of errors, except those of a saved file.
            pub(super) fn error_format(self) -> ErrorFormat {
                match self {
                    $($(Self::$name => ErrorFormat::$format,)?)+
                    _ => ErrorFormat::Negotiated,
                }
            }
        }
    };
}
