"""The mathematics of attention, its traces and its pictures. Nothing here knows about Streamlit."""
