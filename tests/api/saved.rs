//! What a client knows of the paste that it saved.

use crate::client::Response;

/// The response to a save.
#[derive(Debug, Clone)]
pub struct Saved {
    /// `/ID`.
    pub path: String,
    pub id: String,
    pub token: String,
    pub url: String,
}

impl Saved {
    pub fn of(answer: &Response) -> Self {
        let url = answer
            .text()
            .strip_suffix('\n')
            .expect("the address ends the line")
            .to_owned();
        let id = url
            .rsplit('/')
            .next()
            .expect("an address has a path")
            .to_owned();
        assert_eq!(id.len(), 12, "{url}");
        Self {
            path: format!("/{id}"),
            id,
            token: answer.header("x-token").expect("a token").to_owned(),
            url,
        }
    }

    pub fn raw(&self) -> String {
        format!("/raw/{}", self.id)
    }

    pub fn download(&self) -> String {
        format!("/dl/{}", self.id)
    }
}
