//! The application under the HTTP library: every request of a connection, until its answer is sent.
//!
//! What it must not know: routes, and what is answered.
//! Invariants: a connection knows that a request of it is being answered until the whole answer is in its buffer; a
//! handler sees a body that came with its head whole.

use std::rc::Rc;
use std::sync::Arc;

use actix_http::Request;
use actix_service::{
    IntoServiceFactory, Service as _, ServiceFactory, ServiceFactoryExt, apply_fn_factory,
    map_config,
};
use actix_web::dev::{AppConfig, Payload, ServiceResponse};
use actix_web::{App, HttpRequest, HttpResponse, web};

use super::dispatch::serve;
use super::state::AppState;
use crate::http::connection::ConnectionState;
use crate::http::transfer::AnswerBody;

/// What answers the requests of a worker's connections.
pub(crate) fn application(
    state: Arc<AppState>,
) -> impl ServiceFactory<
    Request,
    Config = (),
    Response = ServiceResponse<AnswerBody>,
    Error = HttpResponse,
    InitError = (),
> {
    let answer = move |request: HttpRequest, payload: web::Payload| {
        let state = Arc::clone(&state);
        async move { serve(&state, request, payload.into_inner()).await }
    };
    let app = App::new().default_service(web::to(answer));
    let app = app
        .into_factory()
        .map_err(|error: actix_web::Error| error.error_response());
    // Its host and address are read from nowhere: links are made of the request's host or of the operator's base URL.
    let app = map_config(app, |()| AppConfig::default());
    // Outside of the framework, which would box the body of every answer that is none of its own.
    apply_fn_factory(app, |mut request: Request, app: &_| {
        let serving = request
            .conn_data::<Rc<ConnectionState>>()
            .map(ConnectionState::start_request);
        let has_body = !matches!(request.payload(), Payload::None);
        if let Some(serving) = &serving {
            let payload = serving.watch(request.take_payload());
            *request.payload() = payload;
        }
        let answer = app.call(request);
        async move {
            if let Some(serving) = serving.as_ref().filter(|_| has_body) {
                serving.defer().await;
            }
            let answer: ServiceResponse = answer.await?;
            Ok(answer.map_body(|_, body| AnswerBody::new(body, serving)))
        }
    })
}
