//! Arguments of a launch, from Python's objects.

use crate::guard::exception;
use ptx_launch_syntax::{Argument, Buffer, BufferContents, Field, Fill, NamedArgument};
use ptx_num::notation::{ElementFormat, Number};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyFloat, PyInt, PyList, PyString};

/// An argument as the Python part of the package describes it: name, byte offset in the parameter, kind, value, and a format or an
/// offset that belongs to the value.
pub type DescribedArgument<'py> = (String, Option<u64>, String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// The bytes of an array of the caller.
#[derive(FromPyObject)]
pub struct Memory {
    /// The name of its parameter, variable or buffer, as in `p+8`.
    #[pyo3(item(0))]
    pub name: String,
    /// The bytes.
    #[pyo3(item(1))]
    pub bytes: PyBuffer<u8>,
    /// The kernel must not write to it.
    #[pyo3(item(2))]
    pub read_only: bool,
}

/// Returns the address of the first byte of a buffer.
#[pyfunction]
pub fn address_of(bytes: PyBuffer<u8>) -> usize {
    bytes.buf_ptr() as usize
}

/// Returns the name of a capsule; `None` if it has none.
#[pyfunction]
pub fn capsule_name(capsule: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    // PyO3 reads the name of a capsule only with unsafe code. The text of a capsule has it in quotes.
    let text = capsule.cast::<PyCapsule>()?.repr()?.to_string();
    Ok(text.split('"').nth(1).map(str::to_owned))
}

/// Converts an argument. `memory` are the arrays of the launch.
///
/// # Errors
/// If a value has the wrong type, or does not fit into 128 bits.
pub fn argument(py: Python<'_>, given: &DescribedArgument<'_>, memory: &[Memory]) -> PyResult<NamedArgument> {
    let (name, offset, kind, value, more) = given;
    let argument = match kind.as_str() {
        "number" => {
            let format = more.as_ref().map(|more| more.extract::<String>()).transpose()?;
            let element = format.map(|name| {
                ElementFormat::named(&name)
                    .ok_or_else(|| PyValueError::new_err(format!("`{name}` is not an element type")))
            });
            Argument::Number(element.transpose()?, number(value)?)
        }
        "buffer" => {
            let memory = memory.get(value.extract::<usize>()?);
            let memory = memory.ok_or_else(|| PyValueError::new_err("there is no such buffer"))?;
            Argument::Buffer(contents(memory.bytes.to_vec(py)?))
        }
        "contents" => Argument::Buffer(contents(value.extract()?)),
        "address" => {
            let distance = more.as_ref().map(|more| more.extract::<i64>()).transpose()?;
            Argument::Address(value.extract::<String>()?.into(), distance.unwrap_or(0))
        }
        "table" => Argument::Table(table(value.cast::<PyDict>()?)?),
        _ => return Err(PyValueError::new_err(format!("`{kind}` is not a kind of argument"))),
    };
    Ok(NamedArgument { offset: *offset, ..NamedArgument::new(name, argument) })
}

fn contents(bytes: Vec<u8>) -> Buffer {
    let length = Some(bytes.len() as u64);
    // Without bytes there is nothing to allocate.
    let contents = if bytes.is_empty() { BufferContents::Fill(Fill::Zero) } else { BufferContents::Bytes(bytes) };
    Buffer { element: ElementFormat::byte(), length, contents }
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<Number> {
    if value.is_instance_of::<PyFloat>() {
        return Ok(Number::Float(value.extract()?));
    }
    let large = |_| exception(value.py(), "LaunchError", (format!("{value} does not fit into 128 bits"),));
    if value.cast::<PyInt>()?.lt(0)? {
        let magnitude = value.extract::<i128>().map_err(large)?.unsigned_abs();
        return Ok(Number::Integer { negative: true, magnitude });
    }
    Ok(Number::Integer { negative: false, magnitude: value.extract().map_err(large)? })
}

fn table(values: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Field)>> {
    values.iter().map(|(key, value)| Ok((key.extract()?, field(&value)?))).collect()
}

fn field(value: &Bound<'_, PyAny>) -> PyResult<Field> {
    // A truth value is an integer, too.
    if value.is_instance_of::<PyBool>() {
        Ok(Field::Truth(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        Ok(Field::Integer(value.extract()?))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Field::Number(value.extract()?))
    } else if value.is_instance_of::<PyString>() {
        Ok(Field::Text(value.extract()?))
    } else if let Ok(list) = value.cast::<PyList>() {
        Ok(Field::List(list.iter().map(|one| field(&one)).collect::<PyResult<_>>()?))
    } else {
        Err(PyTypeError::new_err(format!("{} is neither a number, a string nor a list", value.repr()?)))
    }
}
